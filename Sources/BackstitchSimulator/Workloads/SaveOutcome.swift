import Backstitch
import BackstitchSync

/// The outcome of a save on a device.
enum SaveOutcome {
    /// The save returned without an error.
    case saved
    /// There was nothing to save.
    case nothing
    /// The process died in the save, so its outcome is unknown.
    case unknown
}
