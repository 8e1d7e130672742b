"use strict";
const at = (id) => document.getElementById(id);
const KEYS = [..."123456789", ..."abcdefghijklmnopqrtvwxyz"];  // s skips, u undoes
let shown = null, busy = false, watching = null;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function say(text, wrong) {
  at("said").textContent = text;
  at("said").className = wrong ? "error" : "muted";
}

function show(state) {
  if (state.error) say(state.error, true);
  if (!state.classes) return;
  shown = state;
  const question = state.question;
  at("why").textContent = question ? `Row ${question.row}. ${question.why}` : "Every row has an answer.";
  at("cells").tBodies[0].replaceChildren(...(question ? question.cells : []).map(([name, value]) => {
    const row = make("tr"), head = make("th", name);
    head.scope = "row";
    row.append(head, make("td", value));
    return row;
  }));
  at("answers").replaceChildren(...state.classes.map((label, place) => {
    const button = make("button");
    button.type = "button";
    button.disabled = !question;
    if (place < KEYS.length) button.append(make("kbd", KEYS[place]));
    button.append(label);
    button.addEventListener("click", () => answer(label));
    return button;
  }));
  at("new").hidden = !state.open || !question;
  at("skip").disabled = !question;
  at("undo").disabled = !state.undo;
  const skipped = state.skipped ? `, ${state.skipped} skipped` : "";
  at("progress").textContent = `${state.labelled} of ${state.rows} rows labelled${skipped}`;
  const most = Math.max(1, ...state.counts);
  at("counts").replaceChildren(...state.classes.flatMap((label, place) => {
    const track = make("span", undefined, "track"), bar = make("span");
    bar.style.width = `${100 * state.counts[place] / most}%`;
    track.append(bar);
    return [make("span", label, "label"), track, make("span", String(state.counts[place]), "count")];
  }));
  at("curve").innerHTML = state.curve;  // drawn by the server: no value of the table is in it
  at("score").textContent = state.score || "The score appears with ten labels of rows that were drawn at random.";
  for (const name of ["stopping", "contradictions"]) {
    at(name).textContent = state[name];
    at(name).hidden = !state[name];
  }
  clearTimeout(watching);
  if (state.drawing) watching = setTimeout(look, 700);
}

async function look() {  // for the curve, which is computed meanwhile; an answer comes first
  try {
    const state = await (await fetch("state")).json();
    if (!busy && shown && state.labelled === shown.labelled && state.skipped === shown.skipped) show(state);
  } catch { /* the next answer reports it */ }
}

async function call(action, body) {
  if (busy) return false;
  busy = true;
  try {
    const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(action, body === undefined ? {} : post);
    if (response.status !== 200 && response.status !== 409) throw new Error(await response.text());
    show(await response.json());
    return response.ok;
  } catch (error) {
    say(error instanceof TypeError ? "Not saved: the server has stopped. Start it again in the terminal." : error.message, true);
    return false;
  } finally {
    busy = false;
  }
}

async function answer(label) {
  if (!shown || !shown.question) return;
  const row = shown.question.row;
  if (await call("answer", { row, label })) say(`Saved: row ${row} is ${label}.`);
}
async function skip() {
  if (!shown || !shown.question) return;
  const row = shown.question.row;
  if (await call("skip", { row })) say(`Skipped row ${row}.`);
}
async function undo() {
  if (shown && shown.undo && await call("undo", {})) say("The last answer was taken back.");
}

at("skip").addEventListener("click", skip);
at("undo").addEventListener("click", undo);
at("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const label = at("other").value.trim();
  if (label) answer(label);
  at("other").value = "";
  at("other").blur();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.tagName === "INPUT") return;
  const key = event.key.toLowerCase(), place = KEYS.indexOf(key);
  if (key === "s") skip();
  else if (key === "u") undo();
  else if (shown && place >= 0 && place < shown.classes.length) answer(shown.classes[place]);
  else return;
  event.preventDefault();
});
call("state");
