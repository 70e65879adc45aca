// The staff navigation: only screens that exist.
import type { IconName } from '@/ui/icon'
import { paths } from '../paths'

type NavItem = {
  href: string
  label: string
  /** For the phone's bar, where five stand side by side. */
  short?: string
  icon: IconName
}

export const NAV_ITEMS: readonly NavItem[] = [
  { href: paths.leads, label: 'Leads', icon: 'leads' },
  { href: paths.jobs, label: 'Booked Jobs', short: 'Jobs', icon: 'briefcase' },
  { href: paths.inbox, label: 'Inbox', icon: 'inbox' },
  { href: paths.settings(), label: 'Settings', icon: 'gear' },
]

/** A link is lit when the path equals it or, except for /app itself, starts with it. */
export function isNavItemActive(pathname: string, href: string): boolean {
  return pathname === href || (href !== paths.app && pathname.startsWith(href))
}
