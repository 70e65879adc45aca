import { formatMoney, formatMoneyShort } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Icon, type IconName } from '@/ui/icon'
import { Skeleton } from '@/ui/skeleton'
import type { JobTiles } from '../types'

const GRID = 'grid grid-cols-2 gap-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none'

export function JobTileGrid({ figures: { jobsDone, workingNow, comingUp, revenue } }: { figures: JobTiles }) {
  return (
    <dl className={GRID}>
      <JobTile
        label={t('Jobs Done')}
        value={formatCount(jobsDone)}
        span={t('completed this month')}
        icon="check-circle"
        iconClass="text-success"
      />
      <JobTile
        label={t('Working Now')}
        value={formatCount(workingNow)}
        span={t('in progress')}
        icon="wrench"
        iconClass="text-info"
      />
      <JobTile
        label={t('Coming Up')}
        value={formatCount(comingUp)}
        span={t('scheduled ahead')}
        icon="calendar"
        iconClass="text-warning"
      />
      {/* No amounts for a crew. */}
      {typeof revenue === 'number' && (
        <JobTile
          label={t('Revenue')}
          value={formatMoneyShort(revenue)}
          exact={formatMoney(revenue)}
          span={t('completed this month')}
          icon="dollar"
          iconClass="text-secondary"
        />
      )}
    </dl>
  )
}

type TileProps = {
  label: string
  value: string
  /** In full, where the value is rounded. */ exact?: string
  span: string
  icon: IconName
  iconClass: string
}

function JobTile({ label, value, exact = value, span, icon, iconClass }: TileProps) {
  return (
    <div className="glass-card flex flex-col p-3 sm:p-4" title={`${exact}, ${span}`}>
      <dt className="flex items-center justify-between gap-2 text-note font-semibold text-muted">
        {label}
        <Icon name={icon} className={iconClass} />
      </dt>
      <dd className={classNames('text-figure leading-tight font-semibold tabular-nums', iconClass)}>
        <span aria-hidden={exact !== value || undefined}>{value}</span>
        {exact !== value && <span className="sr-only">{exact}</span>}
        <span className="block text-caption font-normal text-muted">{span}</span>
      </dd>
    </div>
  )
}

export function TilesSkeleton() {
  return (
    <div className={GRID}>
      {Array.from({ length: 4 }, (_, tile) => (
        <Skeleton key={tile} className="h-[6.75rem] w-full rounded-box sm:h-[7.25rem]" />
      ))}
    </div>
  )
}
