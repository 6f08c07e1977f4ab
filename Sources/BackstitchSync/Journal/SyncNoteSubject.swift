import Backstitch

/// A subject of notes, and its name. Stores exist that have it in this form.
protocol SyncNoteSubject {
    /// Reads what ``noteName`` gave; nil where nothing can be made of it.
    init?(noteName: String)
    /// Its name among all subjects of the kind.
    var noteName: String { get }
}
