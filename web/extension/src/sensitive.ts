//! Sites where a slip costs most: banks, password managers, the pages that guard an account. A modest
//! list of names that are beyond doubt; the user's own rules come first. Pure.

/** What makes a site sensitive. */
export const KINDS = ["bank", "passwords", "account"] as const;
export type Kind = (typeof KINDS)[number];

/** Hosts, with all below them. */
const HOSTS: Readonly<Record<Kind, readonly string[]>> = {
  bank: [
    "americanexpress.com",
    "bankofamerica.com",
    "barclays.co.uk",
    "capitalone.com",
    "chase.com",
    "coinbase.com",
    "commerzbank.de",
    "deutsche-bank.de",
    "dkb.de",
    "fidelity.com",
    "hsbc.com",
    "ing.com",
    "ing.de",
    "kraken.com",
    "n26.com",
    "paypal.com",
    "revolut.com",
    "santander.com",
    "schwab.com",
    "sparkasse.de",
    "ubs.com",
    "vanguard.com",
    "wellsfargo.com",
    "wise.com",
  ],
  passwords: [
    "1password.com",
    "1password.eu",
    "bitwarden.com",
    "bitwarden.eu",
    "dashlane.com",
    "keepersecurity.com",
    "lastpass.com",
    "nordpass.com",
    "passwords.google.com",
    "pass.proton.me",
  ],
  account: [
    "account.apple.com",
    "account.live.com",
    "account.microsoft.com",
    "account.proton.me",
    "accounts.google.com",
    "appleid.apple.com",
    "login.microsoftonline.com",
    "myaccount.google.com",
    "mysignins.microsoft.com",
  ],
};

/** A label by which banks name the host of their customers' pages. */
const BANK_LABEL = /^(e|i|net|web|online|internet|mobile|my)?-?bank(ing)?$|^online-?banking/;

/** The kind of a host, and the part of its name that makes it so. */
export function builtIn(host: string): { readonly kind: Kind; readonly suffix: string } | null {
  for (const kind of KINDS) {
    const suffix = HOSTS[kind].find((known) => host === known || host.endsWith(`.${known}`));
    if (suffix !== undefined) return { kind, suffix };
  }
  const parts = host.split(".");
  if (parts.length > 1 && parts.at(-1) === "bank") return { kind: "bank", suffix: "bank" };
  const at = parts.findIndex((label) => BANK_LABEL.test(label));
  if (at < 0 || at === parts.length - 1) return null;
  return { kind: "bank", suffix: parts.slice(at).join(".") };
}

/** Hosts of a kind, each with all below it. */
export function hostsOf(kind: Kind): readonly string[] {
  return HOSTS[kind];
}

/** The same hosts that are known by a part of their name, as expressions over whole addresses. */
export const LABEL_PATTERNS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  bank: [
    "^(http|ws)s?://([^/]*[.@])?[^/.:@]+[.]bank(:[0-9]+)?/",
    "^(http|ws)s?://([^/]*[.@])?((e|i|net|web|online|internet|mobile|my)?-?bank(ing)?|online-?banking[^/.]*)[.][^/]+/",
  ],
};
