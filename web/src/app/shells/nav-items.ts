// Staff navigation by role.
import type { Role } from '@/domain/org'
import { t } from '@/lib/i18n'
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
  { href: paths.today, label: t('Today'), icon: 'sun', for: 'crew' },
  { href: paths.app, label: t('Dashboard'), short: t('Home'), icon: 'home', also: paths.recovered, for: 'office' },
  { href: paths.leads, label: t('Leads'), icon: 'leads', for: 'office' },
  { href: paths.jobs, label: t('Booked Jobs'), short: t('Jobs'), icon: 'briefcase' },
  // Crews have room for the schedule in the bar.
  { href: paths.schedule, label: t('Schedule'), icon: 'calendar', for: 'crew' },
  { href: paths.inbox, label: t('Inbox'), icon: 'inbox', for: 'office' },
  { href: paths.schedule, label: t('Schedule'), icon: 'calendar', for: 'office', inMoreMenu: true },
  { href: paths.customers, label: t('Customers'), icon: 'user', for: 'office', inMoreMenu: true },
  { href: paths.invoices, label: t('Invoices'), icon: 'dollar', also: paths.payments, for: 'office', inMoreMenu: true },
  { href: paths.reviews, label: t('Reviews'), icon: 'star', for: 'office', inMoreMenu: true },
  // Owners may work on site too.
  { href: paths.today, label: t('Today'), icon: 'sun', for: 'office', inMoreMenu: true },
  { href: paths.settings(), label: t('Settings'), icon: 'gear', also: paths.billing, for: 'office', inMoreMenu: true },
  { href: paths.admin(), label: t('Security Admin'), icon: 'shield', inMoreMenu: true },
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
