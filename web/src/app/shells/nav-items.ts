// Staff navigation by role.
import type { Role } from '@/domain/org'
import { paths } from '@/lib/paths'
import type { IconName } from '@/ui/icon'

export type NavItem = {
  href: string
  label: string
  /** Short label for the phone bar. */
  short?: string
  icon: IconName
  /** Another path that activates this link. */
  also?: string
  /** Role; everyone where omitted. */
  for?: 'office' | 'crew'
  /** In the phone's More menu. */
  inMoreMenu?: true
}

export const NAV_ITEMS: readonly NavItem[] = [
  { href: paths.today, label: 'Today', icon: 'sun', for: 'crew' },
  { href: paths.app, label: 'Dashboard', short: 'Home', icon: 'home', also: paths.recovered, for: 'office' },
  { href: paths.leads, label: 'Leads', icon: 'leads', for: 'office' },
  { href: paths.jobs, label: 'Booked Jobs', short: 'Jobs', icon: 'briefcase' },
  // Crews have room for the schedule in the bar.
  { href: paths.schedule, label: 'Schedule', icon: 'calendar', for: 'crew' },
  { href: paths.inbox, label: 'Inbox', icon: 'inbox', for: 'office' },
  { href: paths.schedule, label: 'Schedule', icon: 'calendar', for: 'office', inMoreMenu: true },
  { href: paths.customers, label: 'Customers', icon: 'user', for: 'office', inMoreMenu: true },
  { href: paths.invoices, label: 'Invoices', icon: 'dollar', also: paths.payments, for: 'office', inMoreMenu: true },
  { href: paths.reviews, label: 'Reviews', icon: 'star', for: 'office', inMoreMenu: true },
  // Owners may work on site too.
  { href: paths.today, label: 'Today', icon: 'sun', for: 'office', inMoreMenu: true },
  { href: paths.settings(), label: 'Settings', icon: 'gear', also: paths.billing, for: 'office', inMoreMenu: true },
  { href: paths.admin(), label: 'Security Admin', icon: 'shield', inMoreMenu: true },
]

export function navItems(role: Role): NavItem[] {
  const whose = role === 'crew' ? 'crew' : 'office'
  return NAV_ITEMS.filter((item) => (item.for ?? whose) === whose)
}

/** Start page. The demonstration starts at its own root. */
export const isStartPage = (pathname: string): boolean => pathname === paths.app || pathname === paths.home

export function isOfficeOnlyPath(pathname: string): boolean {
  const isAmong = (items: readonly NavItem[]) => items.some((item) => isNavItemActive(pathname, item.href, item.also))
  // The start page redirects by role.
  return (
    !isStartPage(pathname) &&
    (pathname.startsWith('/lead/') ||
      pathname.startsWith(paths.start()) ||
      (isAmong(NAV_ITEMS) && !isAmong(navItems('crew'))))
  )
}

/** Prefix match, exact for the start page. */
export function isNavItemActive(pathname: string, href: string, also?: string): boolean {
  return pathname === also || (href === paths.app ? isStartPage(pathname) : pathname.startsWith(href))
}
