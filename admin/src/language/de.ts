/** Words of the app in German. */
import { document } from './de/document.ts';
import { form } from './de/form.ts';
import { layout } from './de/layout.ts';
import { lists } from './de/lists.ts';
import { machinery } from './de/machinery.ts';
import { media } from './de/media.ts';
import { refused } from './de/refused.ts';
import type { Catalogue } from './messages.ts';

export const de: Catalogue = {
  'app.name': 'Galley',
  'app.skip': 'Zur Seite springen',

  back: 'Zurück',
  cancel: 'Abbrechen',
  close: 'Schließen',
  copied: 'Kopiert',
  copy: 'Kopieren',
  done: 'Fertig',
  next: 'Weiter',
  optional: 'optional',
  previous: 'Zurück',
  retry: 'Erneut versuchen',
  save: 'Speichern',
  saved: 'Gespeichert',
  undo: 'Rückgängig',
  undone: 'Rückgängig gemacht',
  unreachable: 'Der Server antwortet nicht. Es wurde nichts geändert.',

  'state.draft': 'Entwurf',
  'state.modified': 'Geändert',
  'state.published': 'Veröffentlicht',

  'field.required': 'Hier fehlt etwas.',
  'field.password': 'Geben Sie das Passwort ein.',
  'field.code': 'Geben Sie den Code ein.',
  'field.email': 'Das ist keine E-Mail-Adresse.',
  'field.short': 'Mindestens {count} Zeichen.',
  'field.differs': 'Weicht von der veröffentlichten Fassung ab',

  'list.chooseAll': 'Alle auswählen',
  'list.choose': '{name} auswählen',
  'pages.label': 'Seiten',
  'pages.of': 'Seite {page} von {count}',

  'combobox.none': 'Nichts gefunden',
  'combobox.results': { one: '{count} Vorschlag', other: '{count} Vorschläge' },

  'rail.label': 'Bereiche',
  'rail.open': 'Menü öffnen',
  'rail.content': 'Inhalte',
  'rail.pages': 'Seiten',
  'rail.media': 'Dateien',
  'rail.project': 'Projekt',
  'place.home': 'Start',
  'place.account': 'Konto',

  'me.signOut': 'Abmelden',
  'me.signOut.anyway': 'Trotzdem abmelden',
  'me.unsaved': {
    one: 'Änderungen in {count} Dokument konnten nicht gespeichert werden. Wenn Sie sich abmelden, gehen sie verloren.',
    other:
      'Änderungen in {count} Dokumenten konnten nicht gespeichert werden. Wenn Sie sich abmelden, gehen sie verloren.',
  },
  'theme.label': 'Darstellung',
  'theme.system': 'Wie das System',
  'theme.light': 'Hell',
  'theme.dark': 'Dunkel',
  'language.label': 'Sprache',

  'palette.open': 'Suchen, ausführen',
  'palette.label': 'Suchen oder ausführen',
  'palette.none': 'Nichts passt zu „{query}“',
  'palette.go': 'Gehe zu',
  'palette.do': 'Ausführen',
  'palette.hint': '↑ ↓ zum Auswählen, Eingabetaste zum Öffnen',

  'keys.title': 'Tastenkürzel',
  'keys.everywhere': 'Überall',
  'keys.go': 'Gehe zu',
  'keys.show': 'Tastenkürzel zeigen',
  'keys.palette': 'Suchen oder ausführen',

  'offline.title': 'Keine Verbindung. Sie sehen, was zuletzt geladen wurde.',
  'error.title': 'Etwas ist schiefgegangen',
  'error.text': 'Die Seite konnte nicht gezeigt werden. Was gespeichert ist, ist sicher.',
  'error.unreachable.title': 'Der Server antwortet nicht',
  'error.unreachable.text': 'Vielleicht startet er gerade, oder das Netz ist weg.',
  'missing.title': 'Hier ist nichts',
  'missing.text': 'Die Adresse ist vielleicht veraltet, oder Ihre Rollen lassen Sie nicht sehen, wohin sie führt.',
  'missing.home': 'Zum Start',

  'signIn.title': 'Anmelden',
  'signIn.email': 'E-Mail',
  'signIn.password': 'Passwort',
  'signIn.remember': 'Auf diesem Gerät angemeldet bleiben',
  'signIn.submit': 'Anmelden',
  'signIn.code.title': 'Zweiter Schritt',
  'signIn.code.text':
    'Geben Sie die sechs Ziffern ein, die Ihre Authentifizierungs-App gerade zeigt, oder einen Ihrer Ersatzcodes.',
  'signIn.code': 'Code',
  'signIn.code.submit': 'Weiter',
  'signIn.nobody.title': 'Noch kann sich niemand anmelden',
  'signIn.nobody.text':
    'Beim Start hat Galley die Adresse ausgegeben, unter der das erste Konto angelegt wird. Öffnen Sie sie, oder geben Sie ein:',
  'signIn.ended': 'Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
  'signIn.forgotten': 'Passwort vergessen? Wer den Server betreibt, setzt ein neues.',

  'password.show': 'Passwort zeigen',
  'password.hide': 'Passwort verbergen',

  'first.title': 'Das erste Konto',
  'first.text': 'Dieses Konto darf alles. Andere kommen durch „galley admin create“ herein.',
  'first.firstname': 'Vorname',
  'first.lastname': 'Nachname',
  'first.submit': 'Konto anlegen',
  'first.noToken.title': 'Diese Adresse ist nicht vollständig',
  'first.noToken.text': 'Öffnen Sie die ganze Adresse, die Galley beim Start ausgegeben hat.',
  'first.usedUp.title': 'Diese Adresse gilt nicht mehr',
  'first.usedUp.text':
    'Sie gilt einmal, und nur bis zum nächsten Start von Galley. Wenn Sie ein Konto haben, melden Sie sich an; wenn noch niemand eines hat, öffnen Sie die Adresse, die der letzte Start ausgegeben hat.',

  'home.title': 'Schön, Sie zu sehen, {name}',
  'home.titleNobody': 'Schön, Sie zu sehen',
  'home.content': 'Inhalte',
  'home.empty.title': 'Keine Inhalte',
  'home.empty.text': 'Es gibt noch keine Inhaltstypen, oder Ihre Rollen lassen Sie sie nicht sehen.',

  'account.title': 'Konto',
  'account.you': 'Zur Person',
  'account.firstname': 'Vorname',
  'account.lastname': 'Nachname',
  'account.username': 'Benutzername',
  'account.email': 'E-Mail',
  'account.roles': 'Rollen',
  'account.app': 'Die App',
  'account.singleKeys': 'Einzelne Tasten als Kürzel',
  'account.singleKeys.hint': 'Etwa ? und g h. Kürzel mit {modifier} gelten immer.',
  'account.password': 'Passwort',
  'account.password.current': 'Bisheriges Passwort',
  'account.password.new': 'Neues Passwort',
  'account.password.hint': 'Mindestens 8 Zeichen, mit Groß- und Kleinbuchstaben und einer Ziffer.',
  'account.password.submit': 'Passwort ändern',
  'account.password.done': 'Passwort geändert. Andere Geräte sind abgemeldet.',
  'account.factor': 'Zweiter Schritt beim Anmelden',
  'account.factor.off': 'Aus. Ein Passwort allein genügt.',
  'account.factor.on': 'An. Zum Anmelden gehört auch ein Code aus Ihrer Authentifizierungs-App.',
  'account.factor.setUp': 'Einrichten',
  'account.factor.turnOff': 'Ausschalten',
  'account.factor.scan': 'Scannen Sie das mit einer Authentifizierungs-App, oder geben Sie den Schlüssel von Hand ein.',
  'account.factor.picture': 'QR-Code des Schlüssels',
  'account.factor.key': 'Schlüssel',
  'account.factor.code': 'Die sechs Ziffern, die sie jetzt zeigt',
  'account.factor.confirm': 'Einschalten',
  'account.factor.codes.title': 'Ersatzcodes',
  'account.factor.codes.text':
    'Mit jedem können Sie sich einmal anmelden, wenn Ihr Telefon weg ist. Bewahren Sie die Codes gut auf: Sie werden nicht noch einmal gezeigt.',
  'account.factor.turnOff.text': 'Danach genügt Ihr Passwort allein.',
  'account.factor.turnedOff': 'Zweiter Schritt ausgeschaltet',
  'account.sessions': 'Wo Sie angemeldet sind',
  'account.sessions.this': 'dieses Gerät',
  'account.sessions.used': 'zuletzt benutzt {when}',
  'account.sessions.end': 'Abmelden',
  'account.sessions.endOf': '{device} abmelden',
  'account.sessions.endOthers': 'Überall sonst abmelden',
  'account.sessions.ended': { one: 'Auf {count} Gerät abgemeldet', other: 'Auf {count} Geräten abgemeldet' },
  'account.sessions.unknown': 'Unbekanntes Gerät',

  ...document,
  ...form,
  ...layout,
  ...lists,
  ...machinery,
  ...media,
  ...refused,

  'time.now': 'gerade eben',
};
