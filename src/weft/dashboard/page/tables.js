// Tables whose rows are there from the start: a figure that changes moves nothing.

import { hint, say } from "./words.js";

const classes = (column, other) => [column.right && "right", column.off && "phone-off", other].filter(Boolean).join(" ");

// columns: {name, width, right, share, text(row), hint(row), bad(row), off}; one with `share` has a bar behind its text,
// one that is `off` is left out on a phone.
export class Table {
  constructor(place, title, columns, most, nothing) {
    this.columns = columns;
    this.nothing = nothing;
    const table = document.createElement("table");
    const caption = table.createCaption();
    caption.hidden = true;
    caption.textContent = title;
    const head = table.createTHead().insertRow();
    for (const column of columns) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = column.name;
      if (column.width) cell.style.width = column.width;
      cell.className = classes(column);
      head.append(cell);
    }
    const body = table.createTBody();
    this.rows = Array.from({ length: most }, () => {
      const row = body.insertRow();
      row.hidden = true;
      for (const column of columns) row.insertCell().className = classes(column, column.share && "share");
      return row;
    });
    place.replaceChildren(table);
  }

  show(rows) {
    if (!rows.length && this.nothing) return this.#showNothing();
    this.rows[0].classList.remove("empty");
    this.rows.forEach((row, at) => {
      const data = rows[at];
      row.hidden = data === undefined;
      if (data === undefined) return;
      this.columns.forEach((column, number) => {
        const cell = row.cells[number];
        const text = column.text(data);
        say(cell, text);
        hint(cell, column.hint ? column.hint(data) : text);
        if (column.share) cell.style.setProperty("--share", `${column.share(data)}%`);
        if (column.bad) cell.classList.toggle("bad", Boolean(column.bad(data)));
      });
    });
  }

  #showNothing() {
    this.rows.forEach((row, at) => {
      row.hidden = at > 0;
      row.classList.toggle("empty", at === 0);
    });
    [...this.rows[0].cells].forEach((cell, at) => {
      say(cell, at ? "" : this.nothing);
      hint(cell, "");
      cell.style.removeProperty("--share");
    });
  }
}

// {name: count} as rows with shares, the largest first.
export function shares(counts) {
  const rows = Object.entries(counts ?? {}).map(([name, number]) => ({ name, number: Number(number) || 0 }));
  const all = rows.reduce((sum, row) => sum + row.number, 0) || 1;
  rows.sort((a, b) => b.number - a.number || (a.name < b.name ? -1 : 1));
  return rows.map((row) => ({ ...row, share: (100 * row.number) / all }));
}
