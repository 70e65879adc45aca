// Keys of what is fetched that more than one feature must name: what one changes, another may show.

/** Everything of the inbox, the conversation on a lead's page too. */
export const inboxKey = (orgId: string) => ['org', orgId, 'inbox'] as const
