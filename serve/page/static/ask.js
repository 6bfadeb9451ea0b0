// Questions to the server. The key is a header: a cookie would be sent to every port of this machine.

const KEY = "provhouse key";

export const key = () => localStorage.getItem(KEY);

export function keep(value) {
  if (value) localStorage.setItem(KEY, value);
  else localStorage.removeItem(KEY);
}

/** An error of the server in its three parts, as people read them. */
class Problem extends Error {
  constructor(found) {
    super(found.title);
    this.detail = found.detail ?? "";
    this.remedy = found.remedy ?? "";
    this.status = found.status ?? 0;
  }
}

/** Post a question, and return the answer. Throws a Problem, or an AbortError. */
export async function ask(route, question = {}, options = {}) {
  const name = named(route, question);
  const asked = early.get(name);
  early.delete(name);
  if (asked && performance.now() - asked.at < EARLY) return asked.answer;
  return answered(route, question, options);
}

/** Post questions that may be asked soon: `ask` uses each answer once, within a second. */
export function askEarly(questions) {
  early.clear();
  for (const [route, question] of questions) {
    const answer = answered(route, question);
    answer.catch(() => {}); // `ask` throws it if the question is asked
    early.set(named(route, question), { answer, at: performance.now() });
  }
}

const EARLY = 1000; // milliseconds: an older answer may have been made wrong by a commit or an erasure
const early = new Map();
const named = (route, question) => `${route} ${JSON.stringify(question)}`;
const answered = async (route, question, options) => (await replied(route, question, "application/json", options)).json();

/** Save the answer to a question as a CSV file. Throws a Problem. */
export async function download(route, question, name) {
  const content = await (await replied(route, question, "text/csv")).blob();
  const file = document.createElement("a");
  file.href = URL.createObjectURL(content);
  file.download = name;
  file.click();
  URL.revokeObjectURL(file.href);
}

async function replied(route, question, accept, { signal, token = key() } = {}) {
  const body = JSON.stringify(question);
  const headers = { "Content-Type": "application/json", Accept: accept };
  if (token) headers.Authorization = `Bearer ${token}`;
  let reply;
  try {
    reply = await fetch(`/v1/${route}`, { method: "POST", headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({
      title: "The server does not answer",
      detail: "It may have ended, or the connection is lost",
      remedy: "Start it with `provhouse up`, and open the link that it prints",
    });
  }
  if (reply.ok) return reply;
  const text = await reply.text();
  try {
    throw new Problem(JSON.parse(text));
  } catch (error) {
    throw error instanceof Problem ? error : new Problem({ title: text, status: reply.status });
  }
}
