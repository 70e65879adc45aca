export function Logo() {
  return (
    <span className="flex items-center gap-2.5 font-semibold">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-8 shrink-0">
        <g fill="none" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
          <g className="stroke-primary">
            <rect x="3" y="10.5" width="26" height="17" rx="3.5" />
            <path d="M11 10.5V8a2.5 2.5 0 0 1 2.5-2.5h5A2.5 2.5 0 0 1 21 8v2.5" />
          </g>
          <path className="stroke-secondary" d="m17.2 13.5-4.4 5.6h6.4l-4.4 5.4" />
        </g>
      </svg>
      <span className="text-crew tracking-tight">Toolbox</span>
    </span>
  )
}
