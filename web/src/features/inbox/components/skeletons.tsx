import { Skeleton } from '@/ui/skeleton'

export function ThreadsSkeleton() {
  return (
    <div className="grid gap-4 p-4">
      {Array.from({ length: 7 }, (_, row) => (
        <Skeleton key={row} className="h-14 w-full" />
      ))}
    </div>
  )
}

export function ConversationSkeleton() {
  return (
    <div className="grid gap-4 p-4">
      <Skeleton className="h-10 w-1/2" />
      <Skeleton className="h-16 w-2/3" />
      <Skeleton className="ml-auto h-12 w-1/2" />
      <Skeleton className="h-12 w-3/5" />
      <Skeleton className="ml-auto h-16 w-2/3" />
    </div>
  )
}
