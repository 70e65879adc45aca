// List of all keyboard shortcuts that are registered now.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useShortcutGroups } from '@/lib/shortcuts/shortcut-registry'
import { Dialog } from '@/ui/dialog'

const PALETTE_KEYS = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const groups = useShortcutGroups()
  return (
    <Dialog open onClose={onClose} title={t('Keyboard shortcuts')}>
      <div className="grid gap-5">
        {groups.map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3 className="mb-2 font-semibold">{title}</h3>
            <dl className="grid gap-2">
              {shortcuts.map(({ keys, label }) => (
                <Row key={keys} keys={keys} label={label} />
              ))}
            </dl>
          </section>
        ))}
        <section aria-label={t('Always on')}>
          <h3 className="mb-2 font-semibold">{t('Always on')}</h3>
          <dl>
            <Row keys={PALETTE_KEYS} label={t('Search and actions')} />
          </dl>
        </section>
        <p className="text-note text-muted">
          {t('Shortcuts do nothing while you type. You can turn them off in')}{' '}
          <Link to={paths.account} onClick={onClose} className="text-link">
            {t('your account')}
          </Link>
          .
        </p>
      </div>
    </Dialog>
  )
}

function Row({ keys, label }: { keys: string; label: string }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt>{label}</dt>
      <dd className="flex items-center gap-1.5">
        {keys.split(' ').map((key, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a key may come twice
          <kbd key={`${key}-${at}`} className="min-w-8 rounded-field border border-primary/30 px-2 py-1 text-center">
            {key}
          </kbd>
        ))}
      </dd>
    </div>
  )
}
