import BackstitchSupport

extension StoreConfiguration {
    /// Whether missing folders above the store's own are made.
    package var createsParentFolders: Bool { options.value(.createsParentFolders) ?? false }

    /// Checks that the folder for a new store exists. A missing folder is more often a slip, or a disk that is not
    /// mounted yet, than an intention.
    ///
    /// - Parameter path: The path of the store's future file or folder.
    /// - Throws: ``BackstitchError/Code/storeNotFound`` with the uppermost missing folder.
    package static func requireFolder(above path: String) throws {
        guard let missing = FileCalls.uppermostMissing(above: path) else { return }
        throw BackstitchError(
            .storeNotFound,
            "the folder \(missing), in which the store \(path) should be made, does not exist; make the folder, "
                + "check the path, or set the option createsParentFolders",
            key: StoreOption.createsParentFolders.rawValue)
    }
}
