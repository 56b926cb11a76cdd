/** Documents with parts that programs fill: what stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Replaces a part of a file. Throws when the file has no such part. */
export function fillPart(file: string, name: string, text: string): void {
  const document = readFileSync(file, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no part between ${begin} and ${end}`);
  writeFileSync(file, `${document.slice(0, from + begin.length)}\n${text.trim()}\n${document.slice(to)}`);
}

/** The machine, Node and the day, as figures are told with. */
export function circumstances(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 1024 ** 3);
  const model = processors[0]?.model.trim() || 'processor of unknown make';
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${processors.length} × ${model}, ${memory} GB of memory, ${process.platform}, Node ${process.versions.node}`;
}
