// Figures as a person reads them. All text reaches the page as text, never as markup.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const one = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const two = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const count = (number) => whole.format(Number(number) || 0);
export const rate = (number) => (number >= 100 ? whole : number >= 10 ? one : two).format(Number(number) || 0);
export const megabytes = (bytes) => rate((Number(bytes) || 0) / 1e6);
export const percent = (share) => `${whole.format(Number(share) || 0)} %`;

export function size(bytes) {
  const number = Number(bytes) || 0;
  if (number < 1000) return `${whole.format(number)} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let step = Math.min(units.length, Math.floor(Math.log10(number) / 3));
  return `${rate(number / 1000 ** step)} ${units[step - 1]}`;
}

export function duration(seconds) {
  const all = Math.max(0, Math.floor(Number(seconds) || 0));
  const days = Math.floor(all / 86400);
  const clock = [Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60, all % 60];
  const text = clock.map((part, at) => (at ? String(part).padStart(2, "0") : String(part))).join(":");
  return days ? `${days} d ${text}` : text;
}

export const seconds = (number) => `${rate(number)} s`;

const two_digits = (number) => String(number).padStart(2, "0");

export function clock(date) {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two_digits).join(":");
}

export function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "" : clock(date);
}

export const byId = (id) => document.getElementById(id);

// Writes only what differs: a text that is set again would be laid out again.
export function say(element, text) {
  const words = String(text);
  if (element.textContent !== words) element.textContent = words;
}

// Flags and commands stand between backticks, as in a terminal.
export function sayWithCode(element, text) {
  const parts = String(text).split("`");
  if (element.textContent === parts.join("")) return;
  element.replaceChildren(...parts.map((words, place) => (place % 2 ? code(words) : words)));
}

function code(words) {
  const element = document.createElement("code");
  element.textContent = words;
  return element;
}

export function hint(element, text) {
  const words = String(text);
  if (element.title !== words) element.title = words;
}
