import Backstitch

/// A subject of notes, with its name. Existing stores contain names in this form.
protocol SyncNoteSubject {
    /// Reads a name made by ``noteName``; nil for any other text.
    init?(noteName: String)
    /// The subject's name, unique among all subjects of its kind.
    var noteName: String { get }
}
