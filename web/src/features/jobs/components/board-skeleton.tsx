import { Skeleton } from '@/ui/skeleton'

export function BoardSkeleton() {
  return (
    <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
      {Array.from({ length: 6 }, (_, card) => (
        <Skeleton key={card} className="h-52 w-full rounded-box" />
      ))}
    </div>
  )
}
