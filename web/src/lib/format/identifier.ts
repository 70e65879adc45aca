// Identifiers as text.

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `leadCreated`, `lead_created` and `lead.created` become `Lead created`; sentences stay. */
export function formatIdentifier(name: string): string {
  const text = /\s/.test(name)
    ? name
    : name
        .replaceAll(/[_.-]+/g, ' ')
        .replaceAll(/(?<=[a-z\d])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, (capital) => ` ${capital.toLowerCase()}`)
  return capitalize(text)
}
