// A number between two ends, set by dragging or by the arrow keys.
import "./slider.css";
import {
  Label,
  Slider as AriaSlider,
  SliderOutput,
  SliderThumb,
  SliderTrack,
  type SliderProps as AriaSliderProps,
} from "react-aria-components";

/** @param output the text in place of the number */
export function Slider({ label, output, ...props }: AriaSliderProps<number> & { label: string; output?: string }) {
  return (
    <AriaSlider {...props} className="slider grid gap-1-3">
      <Label>{label}</Label>
      <SliderOutput className="soft digits">{output}</SliderOutput>
      <SliderTrack className="slider-track whole-row relative pointer">
        {({ state }) => (
          <>
            <div className="slider-rail" />
            {/* Styles that scripts set are allowed by the policy; only those in the page's text are not. */}
            <div className="slider-fill" style={{ inlineSize: `${state.getThumbPercent(0) * 100}%` }} />
            <SliderThumb className="slider-thumb" />
          </>
        )}
      </SliderTrack>
    </AriaSlider>
  );
}
