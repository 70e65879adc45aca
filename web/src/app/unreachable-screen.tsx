// Screen while the session cannot be determined.
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { deviceStore } from '@/offline/device-store'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

type UnreachableScreenProps = { error: Error; onRetry: () => void }

export function UnreachableScreen({ error, onRetry }: UnreachableScreenProps) {
  const { title, description } = describeError(error)
  return (
    <main>
      <EmptyState
        headingLevel={1}
        icon="offline"
        title={title}
        action={
          <Button icon="refresh" onClick={onRetry}>
            {t('Try again')}
          </Button>
        }
      >
        <p>{description}</p>
        {deviceStore.isOwned() && (
          <p className="mt-2">
            {t(
              'What this device keeps is locked until it reaches the server again. Work you have not sent yet is still there.',
            )}
          </p>
        )}
      </EmptyState>
    </main>
  )
}
