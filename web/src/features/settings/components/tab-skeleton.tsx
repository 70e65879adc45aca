import { Card } from '@/ui/card'
import { Skeleton, SkeletonLines } from '@/ui/skeleton'

export function TabSkeleton() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {['h-72', 'h-40', 'h-40', 'h-56'].map((height, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- they never change places
        <Card key={at}>
          <Skeleton className="mb-4 h-6 w-1/3" />
          <SkeletonLines lines={3} />
          <Skeleton className={`mt-4 ${height}`} />
        </Card>
      ))}
    </div>
  )
}
