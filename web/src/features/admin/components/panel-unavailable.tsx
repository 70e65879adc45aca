// Error state of a panel, with the product's texts.
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

type PanelUnavailableProps = { title: string; isRetrying: boolean; onRetry: () => void }

export function PanelUnavailable({ title, isRetrying, onRetry }: PanelUnavailableProps) {
  return (
    <div role="alert">
      <EmptyState
        icon="shield"
        title={title}
        action={
          <Button variant="secondary" icon="refresh" pending={isRetrying} onClick={onRetry}>
            {t('Try again')}
          </Button>
        }
      />
    </div>
  )
}
