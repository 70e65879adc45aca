import { Skeleton } from '@/ui/skeleton'

export function ListSkeleton() {
  return (
    <div className="glass-card grid gap-4 p-4">
      {Array.from({ length: 6 }, (_, row) => (
        <Skeleton key={row} className="h-10 w-full" />
      ))}
    </div>
  )
}
