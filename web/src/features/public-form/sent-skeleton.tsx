import { SkeletonLines } from '@/ui/skeleton'

/** Before the page after a form is there. */
export function SentSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="glass-card mx-auto max-w-3xl p-6">
      <SkeletonLines lines={5} />
    </div>
  )
}
