// Query keys shared by features.

/** Jobs affect leads too. */
export const leadsKey = (orgId: string) => ['org', orgId, 'leads'] as const
export const leadListsKey = (orgId: string) => [...leadsKey(orgId), 'list'] as const

export const jobsKey = (orgId: string) => ['org', orgId, 'jobs'] as const

/** The jobs of a lead: its page asks for them too. */
export const leadJobsKey = (orgId: string, leadId: string) => [...jobsKey(orgId), 'list', 'lead', leadId] as const

export const crewsKey = (orgId: string) => ['org', orgId, 'crews'] as const

/** Everybody who waits for the business, and their number. */
export const worklistKey = (orgId: string) => ['org', orgId, 'worklist'] as const

/** Includes the lead page's conversation. */
export const inboxKey = (orgId: string) => ['org', orgId, 'inbox'] as const

/** Documents and money are nested below. */
export const leadKey = (orgId: string, id: string) => [...leadsKey(orgId), 'detail', id] as const
export const leadMoneyKey = (orgId: string, id: string) => [...leadKey(orgId, id), 'money'] as const

export const invoicesKey = (orgId: string) => ['org', orgId, 'invoices'] as const

export const customersKey = (orgId: string) => ['org', orgId, 'customers'] as const

/** Any event may change them. */
export const figuresKey = (orgId: string) => ['org', orgId, 'figures'] as const
export const reviewsKey = (orgId: string) => ['org', orgId, 'reviews'] as const

/** Read by the settings and the inbox. */
export const sendingNumberKey = (orgId: string) => ['org', orgId, 'settings', 'sending-number'] as const
/** What the business may do; among the settings, whose live events keep it fresh. */
export const trustKey = (orgId: string) => ['org', orgId, 'settings', 'trust'] as const

/** When the phone company last called: tests of a number wait for it. */
export const providerCallsKey = (orgId: string) => ['org', orgId, 'settings', 'provider-calls'] as const

export const pricesKey = (orgId: string) => ['org', orgId, 'prices'] as const

/** Keys to invalidate after a change to a lead. */
export const leadRelatedKeys = (orgId: string, leadId: string) =>
  [leadKey(orgId, leadId), leadListsKey(orgId), inboxKey(orgId), jobsKey(orgId)] as const

export const accountKey = (orgId: string, accountId: string) => ['org', orgId, 'account', accountId] as const
