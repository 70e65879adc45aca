import type { LeadDrilldown } from '@/domain/drilldown'
import { classNames } from '@/lib/class-names'
import { pgettext, t } from '@/lib/i18n'
import { formatListTotal } from '@/lib/list-total'
import { Icon, type IconName } from '@/ui/icon'
import { SearchBox } from '@/ui/search-box'
import type { LeadsViewName } from '../lib/use-leads-view'
import { leadsMessages } from '../messages'
import type { LeadNarrowing } from '../queries'
import { LeadExportButtons } from './export-buttons'

type LeadsHeaderProps = {
  /** Of the leads that match. */
  total: number | undefined
  q: string
  text: string
  onText: (text: string) => void
  view: LeadsViewName
  onView: (view: LeadsViewName) => void
  /** The list is narrowed to what a figure counts. */
  drilldown?: LeadDrilldown | undefined
  narrowing: LeadNarrowing
}

export function LeadsHeader({ total, q, text, onText, view, onView, drilldown, narrowing }: LeadsHeaderProps) {
  return (
    <>
      <header className="flex flex-wrap items-center justify-between gap-x-3 sm:gap-x-6">
        <div className="contents sm:block">
          <h1 className="basis-full text-title">{leadsMessages.title}</h1>
          {/* As wide as a long count, so that neighbors do not shift when it loads. */}
          <p className="min-h-6 min-w-34 whitespace-nowrap text-muted tabular-nums max-sm:text-note">
            {total !== undefined && t('Total leads: {total}', { total: formatListTotal(total) })}
          </p>
        </div>
        <LeadExportButtons q={q} narrowing={narrowing} />
      </header>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <SearchBox
            label={t('Search leads by name, phone or service')}
            placeholder={t('Name, phone or service')}
            value={text}
            onChange={onText}
          />
        </div>
        {!drilldown && <ViewSwitch view={view} onView={onView} />}
      </div>
    </>
  )
}

const VIEWS = [
  { name: 'list', label: t('List'), icon: 'menu' },
  { name: 'board', label: t('Board'), icon: 'board' },
] as const satisfies readonly { name: LeadsViewName; label: string; icon: IconName }[]

function ViewSwitch({ view, onView }: Pick<LeadsHeaderProps, 'view' | 'onView'>) {
  return (
    <div
      role="group"
      aria-label={pgettext('kind of list', 'View')}
      className="flex shrink-0 rounded-field border border-primary/30"
    >
      {VIEWS.map(({ name, label, icon }) => (
        <button
          key={name}
          type="button"
          aria-pressed={view === name}
          onClick={() => onView(name)}
          className={classNames(
            'flex min-h-12 min-w-12 cursor-pointer items-center justify-center gap-2 rounded-field px-3 text-note font-semibold',
            view === name ? 'bg-primary/12 text-primary' : 'text-muted hover:text-base-content',
          )}
        >
          <Icon name={icon} />
          <span className="max-sm:sr-only">{label}</span>
        </button>
      ))}
    </div>
  )
}
