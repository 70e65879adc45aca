// Keys of what is fetched that more than one feature must name: what one changes, another may show.

/** Everything of the leads: what is done about a job moves its lead. */
export const leadsKey = (orgId: string) => ['org', orgId, 'leads'] as const
export const leadListsKey = (orgId: string) => [...leadsKey(orgId), 'list'] as const

/** Everything of the booked jobs, lists and single ones. */
export const jobsKey = (orgId: string) => ['org', orgId, 'jobs'] as const

/** The crews: made in the settings, chosen for jobs. */
export const crewsKey = (orgId: string) => ['org', orgId, 'crews'] as const

/** Everything of the inbox, the conversation on a lead's page too. */
export const inboxKey = (orgId: string) => ['org', orgId, 'inbox'] as const

/** One lead, its papers and its money below it: an invoice's page asks for the same. */
export const leadKey = (orgId: string, id: string) => [...leadsKey(orgId), 'detail', id] as const
export const leadMoneyKey = (orgId: string, id: string) => [...leadKey(orgId, id), 'money'] as const

/** Everything of the invoices, lists and single ones. */
export const invoicesKey = (orgId: string) => ['org', orgId, 'invoices'] as const

/** Everything of the customers: their records name what the leads, jobs and papers say. */
export const customersKey = (orgId: string) => ['org', orgId, 'customers'] as const

/** The business's figures: whatever happens may move them. */
export const figuresKey = (orgId: string) => ['org', orgId, 'figures'] as const
/** Everything of the reviews: what came in, who was asked, whether everybody was. */
export const reviewsKey = (orgId: string) => ['org', orgId, 'reviews'] as const

/** The price book: kept in the settings, picked from while a paper is written. */
export const pricesKey = (orgId: string) => ['org', orgId, 'prices'] as const

/** What is fetched anew once something was done about a lead: its page with papers and money, the lists, the conversation, its jobs. */
export const aroundLead = (orgId: string, leadId: string) =>
  [leadKey(orgId, leadId), leadListsKey(orgId), inboxKey(orgId), jobsKey(orgId)] as const

/** One's own account: how it is kept safe, and where one is signed in. */
export const accountKey = (orgId: string, accountId: string) => ['org', orgId, 'account', accountId] as const
