import { recordHostCopy } from '../../agent/store/host-copies.js';
import { messageOf } from '../../platform/message-of.js';
import { HostTranscript, transcriptFile } from '../stream-json/host-transcript.js';

type Options = ConstructorParameters<typeof HostTranscript>[0];

/** Notes the copy in the session's folder before it is first written, so that it is deleted with the session. */
export class RecordedTranscript extends HostTranscript {
  readonly #options: Options;
  readonly #dataFolder: string;
  #isRecorded: boolean | undefined;

  constructor(options: Options, dataFolder: string) {
    super(options);
    this.#options = options;
    this.#dataFolder = dataFolder;
  }

  override prompt(...given: Parameters<HostTranscript['prompt']>): void {
    if (this.#record()) super.prompt(...given);
  }

  override line(...given: Parameters<HostTranscript['line']>): void {
    if (this.#record()) super.line(...given);
  }

  /** Without the note there is no copy: it would stay when the session is deleted. */
  #record(): boolean {
    this.#isRecorded ??= this.#note();
    return this.#isRecorded;
  }

  #note(): boolean {
    const { sessionId: id, version, onProblem } = this.#options;
    const file = transcriptFile(this.#options);
    if (file === undefined) return false;
    try {
      recordHostCopy(this.#dataFolder, { id, file, version });
      return true;
    } catch (error) {
      onProblem(
        `There is no copy of the conversation for the Agent SDK: ${messageOf(error)}. The session itself is kept in Helve's data.`,
      );
      return false;
    }
  }
}
