import BackstitchSupport

extension StoreConfiguration {
    /// Whether the folders above the store's own are made where they are missing.
    package var createsParentFolders: Bool { options.value(.createsParentFolders) ?? false }

    /// Has the folder be there in which a store is to be made: one that is missing is more often a slip, or a disk that
    /// is not there yet, than a wish.
    ///
    /// - Parameter path: Where the store's file or folder is to be.
    /// - Throws: ``BackstitchError/Code/storeNotFound`` naming the uppermost folder that is missing.
    package static func requireFolder(above path: String) throws {
        guard let missing = FileCalls.uppermostMissing(above: path) else { return }
        throw BackstitchError(
            .storeNotFound,
            "there is no folder \(missing), and the store \(path) is to be made below it; make the folder, check the path, "
                + "or set the option createsParentFolders", key: StoreOption.createsParentFolders.rawValue)
    }
}
