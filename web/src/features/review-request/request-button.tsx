import { lazy, Suspense, useState } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { Button } from '@/ui/button'
import { reviewRequestMessages } from './messages'
import type { ReviewRequestTarget } from './types'

const ReviewRequestDialog = lazy(async () => ({ default: (await import('./request-dialog')).ReviewRequestDialog }))

type ReviewRequestButtonProps = { target: ReviewRequestTarget; className?: string }

export function ReviewRequestButton({ target, className }: ReviewRequestButtonProps) {
  const isOnline = useOnline()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        variant="secondary"
        icon="star"
        className={className}
        disabled={!isOnline}
        onClick={() => setIsOpen(true)}
      >
        {reviewRequestMessages.title}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ReviewRequestDialog target={target} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
