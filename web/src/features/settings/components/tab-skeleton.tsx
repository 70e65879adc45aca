import { Card } from '@/ui/card'
import { Skeleton, SkeletonLines } from '@/ui/skeleton'

/** In place of a page of settings that is being loaded. */
export function TabSkeleton() {
  return (
    <Card>
      <Skeleton className="mb-4 h-6 w-1/3" />
      <SkeletonLines lines={3} />
      <Skeleton className="mt-4 h-56" />
    </Card>
  )
}
