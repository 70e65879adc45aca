// The staff navigation: only screens that exist, and for each person only those that are theirs.
import type { Role } from '@/domain/org'
import { paths } from '@/lib/paths'
import type { IconName } from '@/ui/icon'

export type NavItem = {
  href: string
  label: string
  /** For the phone's bar, where five stand side by side. */
  short?: string
  icon: IconName
  /** Another screen that is reached from this one, and lights its link. */
  also?: string
  /** Whose screen it is; everybody's where nothing is said. */
  for?: 'office' | 'crew'
  /** On the phone behind More, not in the bar. */
  behindMore?: true
}

export const NAV_ITEMS: readonly NavItem[] = [
  { href: paths.today, label: 'Today', icon: 'sun', for: 'crew' },
  { href: paths.app, label: 'Dashboard', short: 'Home', icon: 'home', also: paths.recovered, for: 'office' },
  { href: paths.leads, label: 'Leads', icon: 'leads', for: 'office' },
  { href: paths.jobs, label: 'Booked Jobs', short: 'Jobs', icon: 'briefcase' },
  // A crew's day is its schedule: it has room for it in the bar, the office has not.
  { href: paths.schedule, label: 'Schedule', icon: 'calendar', for: 'crew' },
  { href: paths.inbox, label: 'Inbox', icon: 'inbox', for: 'office' },
  { href: paths.schedule, label: 'Schedule', icon: 'calendar', for: 'office', behindMore: true },
  { href: paths.customers, label: 'Customers', icon: 'user', for: 'office', behindMore: true },
  { href: paths.invoices, label: 'Invoices', icon: 'dollar', also: paths.payments, for: 'office', behindMore: true },
  { href: paths.reviews, label: 'Reviews', icon: 'star', for: 'office', behindMore: true },
  // Who owns the business may well be who goes out: their own day on site.
  { href: paths.today, label: 'Today', icon: 'sun', for: 'office', behindMore: true },
  { href: paths.settings(), label: 'Settings', icon: 'gear', also: paths.billing, for: 'office', behindMore: true },
  { href: paths.admin(), label: 'Security Admin', icon: 'shield', behindMore: true },
]

/** The links of somebody with this role, in their order. */
export function navItems(role: Role): NavItem[] {
  const whose = role === 'crew' ? 'crew' : 'office'
  return NAV_ITEMS.filter((item) => (item.for ?? whose) === whose)
}

/** Where everybody's work begins. The demonstration begins at its own home. */
export const isStart = (pathname: string): boolean => pathname === paths.app || pathname === paths.home

/** Whether the screen at this address is the office's alone. */
export function isForOffice(pathname: string): boolean {
  // Any other address of a lead shows the same page.
  const isAmong = (items: readonly NavItem[]) => items.some((item) => isNavItemActive(pathname, item.href, item.also))
  // At the start everybody is led to their own.
  return !isStart(pathname) && (pathname.startsWith('/lead/') || (isAmong(NAV_ITEMS) && !isAmong(navItems('crew'))))
}

/** A link is lit when the path equals it or, except for the start, begins with it. */
export function isNavItemActive(pathname: string, href: string, also?: string): boolean {
  return pathname === also || (href === paths.app ? isStart(pathname) : pathname.startsWith(href))
}
