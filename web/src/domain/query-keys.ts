// Keys of what is fetched that more than one feature must name: what one changes, another may show.

/** Everything of the leads: what is done about a job moves its lead. */
export const leadsKey = (orgId: string) => ['org', orgId, 'leads'] as const

/** Everything of the booked jobs, lists and single ones. */
export const jobsKey = (orgId: string) => ['org', orgId, 'jobs'] as const

/** The crews: made in the settings, chosen for jobs. */
export const crewsKey = (orgId: string) => ['org', orgId, 'crews'] as const

/** Everything of the inbox, the conversation on a lead's page too. */
export const inboxKey = (orgId: string) => ['org', orgId, 'inbox'] as const
