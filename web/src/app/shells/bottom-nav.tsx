// Bottom navigation on phones.
import { Link, useLocation } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { isNavItemActive, navItems } from './nav-items'
import { WaitingBadge } from './waiting-badge'

const ITEM = 'relative flex h-14 w-full flex-col items-center justify-center gap-0.5 text-nav font-semibold'

type BottomNavProps = { isMoreOpen: boolean; onMore: () => void }

export function BottomNav({ isMoreOpen, onMore }: BottomNavProps) {
  const { pathname } = useLocation()
  const { role } = useCurrentUser()
  const items = navItems(role).filter(({ inMoreMenu = false }) => !inMoreMenu)
  return (
    <nav
      aria-label={t('Main')}
      className="glass-bar fixed inset-x-0 bottom-0 z-30 border-t pb-(--sai-bottom) lg:hidden"
    >
      <ul className="mx-auto flex max-w-md">
        {items.map(({ href, label, short, icon }) => {
          const isActive = isNavItemActive(pathname, href)
          return (
            <li key={href} className="flex-1">
              <Link
                to={href}
                aria-current={isActive ? 'page' : undefined}
                className={classNames(ITEM, isActive ? 'text-primary' : 'text-muted')}
              >
                <span className={classNames('rounded-full px-4 py-0.5', isActive && 'glow bg-primary/12')}>
                  <Icon name={icon} />
                </span>
                {short ?? label}
                <WaitingBadge href={href} className="absolute top-1 left-1/2 ml-1.5" />
              </Link>
            </li>
          )
        })}
        <li className="flex-1">
          <button
            type="button"
            aria-haspopup="dialog"
            aria-expanded={isMoreOpen}
            onClick={onMore}
            className={classNames(ITEM, 'text-muted')}
          >
            <span className="px-4 py-0.5">
              <Icon name="menu" />
            </span>
            {t('More')}
          </button>
        </li>
      </ul>
    </nav>
  )
}
