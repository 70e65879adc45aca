// A screen's first loading is no part of any story, and takes long on a busy machine: it is done before the clock runs.

/** Loads what stands around the staff screens, and those that show leads. */
export function loadLeadScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/shells/staff-shell'), import('@/features/leads/leads.route'), import('@/features/leads/lead-detail.route'), import('@/features/inbox/lead-conversation.route'),
  ])
}
