// Tiles and panels of one response.
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { useDeferredMount } from '@/lib/hooks/use-deferred-mount'
import { paths } from '@/lib/paths'
import { Notice } from '@/ui/notice'
import { Skeleton } from '@/ui/skeleton'
import { dashboardMessages as texts } from '../messages'
import type { DailyMetrics, Kpis } from '../types'
import { PastDuePanel } from './past-due-panel'
import { PerformancePanel } from './performance-panel'
import { ReviewsPanel } from './reviews-panel'
import { TILE_GRID } from './tile'
import { Tiles } from './tiles'
import { TimeSavedPanel } from './time-saved-panel'
import { TrendsCard } from './trends-card'

const PANEL_GRID = 'grid grid-cols-[minmax(0,1fr)] gap-3 @min-[38rem]:grid-cols-2'

/** How many stand beside each other follows from their own room: beside the day of today there is less of it. */
const PanelGrid = ({ children }: { children: ReactNode }) => (
  <div className="@container">
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">{children}</div>
  </div>
)

export function FiguresView({ figures, days }: { figures: Kpis; days: readonly DailyMetrics[] }) {
  // The tiles first.
  const isWhole = useDeferredMount()
  return (
    <PanelGrid>
      {!figures.isCounted && (
        <Notice tone="info" title={texts.counting}>
          {texts.countingWhy}
        </Notice>
      )}
      <Tiles figures={figures} days={days} />
      {isWhole ? <FigurePanels figures={figures} /> : <PanelsSkeleton />}
    </PanelGrid>
  )
}

function FigurePanels({ figures: { week, priorWeek, months, receivables } }: { figures: Kpis }) {
  return (
    <>
      <div className={PANEL_GRID}>
        <PerformancePanel week={week} />
        <PastDuePanel receivables={receivables} week={week} />
        <TimeSavedPanel week={week} before={priorWeek} />
        <ReviewsPanel week={week} before={priorWeek} />
      </div>
      <TrendsCard months={months} />
      {months.some(({ isEstimate }) => isEstimate) && (
        <p className="max-w-[68ch] text-note text-muted">
          <span className="font-semibold text-warning">est.</span> {texts.estimateNote}{' '}
          <Link to={paths.settings('reports')} className="text-link">
            Change your usual margin
          </Link>
        </p>
      )}
    </>
  )
}

const TILE_SKELETONS = [0, 1, 2, 3] as const

export function FiguresSkeleton() {
  return (
    <PanelGrid>
      <div className={TILE_GRID}>
        {TILE_SKELETONS.map((tile) => (
          <Skeleton key={tile} className="h-44 w-full rounded-box" />
        ))}
      </div>
      <PanelsSkeleton />
    </PanelGrid>
  )
}

function PanelsSkeleton() {
  return (
    <div className={PANEL_GRID}>
      {TILE_SKELETONS.map((panel) => (
        <Skeleton key={panel} className="h-[22rem] w-full rounded-box" />
      ))}
    </div>
  )
}
