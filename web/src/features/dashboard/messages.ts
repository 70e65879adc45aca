export const dashboardMessages = {
  title: 'Automation Dashboard',
  failed: { title: 'Figures could not be loaded', description: 'They did not arrive. Please try again.' },
  panelsOffline: 'More figures and trends need a connection.',
  counting: 'Still counting',
  countingWhy: 'What happened before your figures began is being counted. Until that is done they may be too low.',
  estimate: 'Estimate: the costs of some jobs are not noted',
  estimateNote:
    'rests on your usual margin, because the costs of some jobs are not noted. Note them on the page of a job, and the real margin takes its place.',
  today: {
    title: "Today's jobs",
    nothing: 'No jobs today.',
    failed: { title: "Today's jobs could not be loaded", description: 'They did not arrive. Please try again.' },
  },
  trends: {
    title: 'Monthly P&L Trends',
    empty: 'The first payment draws the first bar.',
    noChart: 'The chart could not be loaded, so here are its figures.',
  },
} as const
