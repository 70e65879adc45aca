import { Link, useLocation } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { useCurrentUser } from '@/features/session/use-session'
import { Icon } from '@/ui/icon'
import { isNavItemActive, navItems } from './nav-items'
import { WaitingBadge } from './waiting-badge'

export function NavLinks({ onNavigate }: { onNavigate?: () => void }) {
  const { pathname } = useLocation()
  const { role } = useCurrentUser()
  return (
    <ul className="grid gap-1">
      {navItems(role).map(({ href, also, label, icon }) => {
        const isActive = isNavItemActive(pathname, href, also)
        return (
          <li key={href}>
            <Link
              to={href}
              aria-current={isActive ? 'page' : undefined}
              onClick={onNavigate}
              className={classNames(
                'flex min-h-12 items-center gap-3 rounded-field border px-3 font-semibold',
                isActive
                  ? 'glow border-primary/55 bg-primary/10 text-primary'
                  : 'border-transparent text-muted hover:bg-primary/8 hover:text-base-content',
              )}
            >
              <Icon name={icon} />
              {label}
              <WaitingBadge href={href} className="ml-auto" />
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
