// Logging in: the one-time token of a link, or a person's own token, is exchanged for a key.

import { ask, keep, key } from "./ask.js";
import { element, problem } from "./elements.js";

/** Take the token out of the address, so that a shared or bookmarked address has none. */
function tokenOfLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  if (!token) return null;
  given.delete("token");
  history.replaceState(null, "", `${location.pathname}#${given}`);
  return token;
}

async function open(token) {
  const found = await ask("page/open", { token }, { token: null });
  keep(found.key);
}

/** Return whether the page has a valid key; otherwise show the form for a token. */
export async function loggedIn(start) {
  const token = tokenOfLink();
  let wrong = null;
  try {
    if (token) await open(token);
  } catch (error) {
    wrong = error;
  }
  if (key() && !(token && wrong && (await expired()))) {
    start();
    return;
  }
  showForm(start, wrong);
}

async function expired() {
  try {
    await ask("generations");
    return false;
  } catch (error) {
    return error.status === 401;
  }
}

/** Show the form for a token, with the reason if there is one. */
export function showForm(start, wrong = null) {
  keep(null);
  element("app").hidden = true;
  element("login").hidden = false;
  element("login-problem").replaceChildren(...(wrong ? [problem(wrong)] : []));
  element("login-form").onsubmit = async (event) => {
    event.preventDefault();
    const token = element("login-token").value.trim();
    try {
      const link = await ask("page/link", {}, { token });
      await open(link.token);
      element("login-token").value = "";
      start();
    } catch (error) {
      element("login-problem").replaceChildren(problem(error));
    }
  };
  element("login-token").focus();
}

/** Forget the key, here and on the server. */
export async function leave(start) {
  await ask("page/leave").catch(() => {});
  showForm(start);
}
