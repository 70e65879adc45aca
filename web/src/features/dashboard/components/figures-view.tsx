// Tiles and panels of one response.
import type { ReactNode } from 'react'
import { useDeferredMount } from '@/lib/hooks/use-deferred-mount'
import { useOnlineChunk } from '@/lib/hooks/use-online-chunk'
import { ErrorBoundary } from '@/ui/error-boundary'
import { Notice } from '@/ui/notice'
import { Skeleton } from '@/ui/skeleton'
import { dashboardMessages as texts } from '../messages'
import type { DailyMetrics, Kpis } from '../types'
import { PANEL_GRID, TILE_GRID } from './tile'
import { Tiles } from './tiles'

/** Below the tiles, and of use with a connection: the tiles are there without. */
const loadPanels = () => import('./figure-panels')

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
      {isWhole ? (
        <ErrorBoundary isPart>
          <LaterPanels figures={figures} />
        </ErrorBoundary>
      ) : (
        <PanelsSkeleton />
      )}
    </PanelGrid>
  )
}

/** Panels that were shown stay when the connection breaks. */
function LaterPanels({ figures }: { figures: Kpis }) {
  const panels = useOnlineChunk(loadPanels)
  if (panels.status === 'missing') return <p className="text-note text-muted">{texts.panelsOffline}</p>
  if (panels.status === 'loading') return <PanelsSkeleton />
  return <panels.module.FigurePanels figures={figures} />
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
