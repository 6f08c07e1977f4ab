/// A store type that keeps its rows in a file, and says how the file is called in a folder that somebody else has
/// named.
package protocol StoreInFile {
    /// The file's name.
    static var fileName: String { get }
}
