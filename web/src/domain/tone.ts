// The tones a state can have. Colour never speaks alone: an icon and a word stand beside it.
export type Tone = 'neutral' | 'info' | 'accent' | 'warning' | 'secondary' | 'success' | 'error'
