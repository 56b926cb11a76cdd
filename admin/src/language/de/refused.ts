/** Words for what the server refuses, in German. */
import type { refused as english } from '../en/refused.ts';
import type { Message } from '../messages.ts';

export const refused: Readonly<Record<keyof typeof english, Message>> = {
  'refused.unique': 'Das hat schon ein anderes Dokument.',
  'refused.bytes': 'Das ist zu lang: höchstens {limit} Byte.',
  'refused.between': 'Zwischen {from} und {to}.',
  'refused.tooBig': 'Diese Zahl ist zu groß.',
  'refused.characters': 'Das enthält Zeichen, die sich nicht speichern lassen.',
  'refused.file': 'Eine Datei dieser Art lässt sich hier nicht verwenden.',
  'refused.emptyFile': 'Diese Datei ist leer.',
  'refused.link': 'Ein Link darin hat keine gültige Adresse.',
  'refused.deep': 'So tief lassen sich Listen nicht verschachteln.',
  'refused.folderTaken': 'Hier gibt es schon einen Ordner mit diesem Namen.',
  'refused.folderInItself': 'Ein Ordner kann nicht in sich selbst verschoben werden.',
  'refused.gone': 'Etwas, das hier verknüpft ist, gibt es nicht mehr.',
  'refused.noLower': 'Ein Kleinbuchstabe fehlt.',
  'refused.noUpper': 'Ein Großbuchstabe fehlt.',
  'refused.noDigit': 'Eine Ziffer fehlt.',
  'refused.signedOut': 'Ihre Sitzung ist beendet.',
  'refused.credentials': 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  'refused.siteUser':
    'Dieses Konto gehört zur Website. Website-Benutzer können sich hier nicht anmelden: Bitten Sie um eine Einladung.',
  'refused.code': 'Dieser Code ist falsch oder nicht mehr gültig.',
  'refused.password': 'Dieses Passwort ist falsch.',
  'refused.several': '{count} Felder sind noch nicht richtig.',
  'refused.forbidden': 'Keine Ihrer Rollen erlaubt das.',
  'refused.missing': 'Das gibt es nicht mehr.',
  'refused.changed': 'Jemand anderes hat das inzwischen geändert.',
  'refused.tooLarge': 'Das ist größer, als der Server annimmt.',
  'refused.tooOften': {
    one: 'Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.',
    other: 'Zu viele Versuche. Versuchen Sie es in {count} Minuten noch einmal.',
  },
  'refused.broken': 'Auf dem Server ist etwas schiefgegangen. Was, steht in seinem Protokoll.',
  'refused.busy': 'Der Server ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  'refused.full': 'Auf dem Server ist kein Platz mehr.',
};
