// The room: top bar, panels left and right of the viewport, the strip below it, the status line.
import { clip } from "../clip/clip";
import { readOnly } from "../recording";
import { TABS } from "../tabs";
import { viewing } from "../tabs/viewing";
import { tab } from "../store";
import { Viewport } from "../viewport/viewport";
import { Recoveries } from "./files";
import { DropHint } from "./opening";
import { PanelColumn } from "./panel";
import { StatusLine } from "./status_line";
import { Toasts } from "./toasts";
import { TopBar } from "./top_bar";

export function Room() {
  const open = readOnly ? viewing : TABS.find((one) => one.name === tab.value)!;
  return (
    <div class={readOnly ? "room viewing" : "room"}>
      <TopBar />
      <PanelColumn class="left" label="outliner" panels={open.left} />
      <main class="middle">
        <div id="tab-panel" role="tabpanel" aria-label={open.name}>
          <Viewport />
        </div>
      </main>
      {open.right.length > 0 && <PanelColumn class="right" label="inspector" panels={open.right} />}
      {(!readOnly || clip.value !== null) && <PanelColumn class="strip" label="timeline" panels={open.strip} />}
      <StatusLine />
      <Recoveries />
      <Toasts />
      <DropHint />
    </div>
  );
}
