// Quote form options; labels are the submitted values.
export const QUOTE_SERVICES = [
  'Kitchen Remodel',
  'Bathroom Renovation',
  'Deck Installation',
  'Roof Repair',
  'Flooring Project',
  'Plumbing Upgrade',
  'HVAC Installation',
  'Electrical Work',
  'Garage Door',
  'Other',
] as const

export const QUOTE_TIMELINES = ['ASAP', 'Within 2 weeks', 'Within 1 month', 'Within 3 months', 'Flexible'] as const

export const QUOTE_BUDGETS = [
  'Under $2,500',
  '$2,500 - $5,000',
  '$5,000 - $10,000',
  '$10,000 - $25,000',
  '$25,000+',
  'Not sure',
] as const
