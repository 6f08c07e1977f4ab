/// A store type with its rows in a file, and a name for that file. The folder is chosen by other code.
package protocol StoreInFile {
    /// The name of the file, without its folder.
    static var fileName: String { get }
}
