import { describe, expect, it } from "vitest";
import {
  admittance,
  type Contact,
  NO_CONTACTS,
  withContact,
  withoutContact,
} from "../src/contacts";

const asker = { session: "s1", client: "Atlas", program: "/usr/bin/node" };
const contact = (answer: Contact["answer"]): Contact => ({
  client: "Atlas",
  program: "/usr/bin/node",
  answer,
  since: 1,
});

describe("an agent", () => {
  it("is unknown by any other name or program", () => {
    const contacts = withContact(NO_CONTACTS, contact("always"));
    expect(admittance(NO_CONTACTS, [], asker)).toBe("unknown");
    expect(admittance(contacts, [], asker)).toBe("in");
    expect(admittance(contacts, [], { ...asker, session: "s9" })).toBe("in");
    expect(admittance(contacts, [], { ...asker, client: "Otter" })).toBe("unknown");
    expect(admittance(contacts, [], { ...asker, program: "/tmp/node" })).toBe("unknown");
    expect(admittance(contacts, [], { session: "s1", client: "Atlas" })).toBe("unknown");
  });
  it("that was let in once is unknown in its next session", () => {
    const guests = [asker];
    expect(admittance(NO_CONTACTS, guests, asker)).toBe("in");
    expect(admittance(NO_CONTACTS, guests, { ...asker, session: "s2" })).toBe("unknown");
  });
  it("that is kept out stays so, also where everyone is let in, until it is forgotten", () => {
    const refused = withContact({ ...NO_CONTACTS, everyone: true }, contact("no"));
    expect(admittance(refused, [asker], asker)).toBe("no");
    expect(admittance(withoutContact(refused, "Atlas", "/usr/bin/node"), [], asker)).toBe("in");
    const again = withContact(withContact(NO_CONTACTS, contact("no")), contact("always"));
    expect(again.list).toHaveLength(1);
    expect(admittance(again, [], asker)).toBe("in");
  });
});
