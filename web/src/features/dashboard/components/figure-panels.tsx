// Panels and trends below the tiles.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { dashboardMessages as texts } from '../messages'
import type { Kpis } from '../types'
import { PastDuePanel } from './past-due-panel'
import { PerformancePanel } from './performance-panel'
import { ReviewsPanel } from './reviews-panel'
import { PANEL_GRID } from './tile'
import { TimeSavedPanel } from './time-saved-panel'
import { TrendsCard } from './trends-card'

export function FigurePanels({ figures: { week, priorWeek, months, receivables } }: { figures: Kpis }) {
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
          <span className="font-semibold text-warning">{t('est.')}</span> {texts.estimateNote}{' '}
          <Link to={paths.settings('reports')} className="text-link">
            {t('Change your usual margin')}
          </Link>
        </p>
      )}
    </>
  )
}
