import Backstitch
import BackstitchSync

/// The outcome of a save.
enum SaveOutcome {
    /// It returned.
    case saved
    /// Nothing was to be saved.
    case nothing
    /// The process has died in it, so nobody knows.
    case unknown
}
