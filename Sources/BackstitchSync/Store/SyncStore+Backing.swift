public import Backstitch
public import Foundation

extension SyncStore {
    /// Returns the type of the wrapped store.
    ///
    /// - Throws: ``BackstitchError/Code/unknownStoreType`` when there is none of that name,
    ///   ``BackstitchError/Code/invalidOption`` when it cannot be synced.
    static func backingType(named name: String) throws -> any JournalingStore.Type {
        let type = try StoreRegistry.type(named: name)
        guard type != SyncStore.self, let journaling = type as? any JournalingStore.Type else {
            throw BackstitchError(
                .invalidOption,
                "option \"backingStoreType\" is \"\(name)\", a type that cannot be synced: it keeps no journal",
                key: StoreOption.backingStoreType.rawValue)
        }
        return journaling
    }

    /// Returns the changes that opening the wrapped store would make in it.
    public static func migrationPlan(for configuration: StoreConfiguration) throws -> MigrationPlan? {
        let type = try backingType(
            named: configuration.options.value(.backingStoreType) ?? SyncOptions.defaultBackingType)
        return try type.migrationPlan(for: backing(configuration, type: type))
    }

    /// Removes the wrapped store, and its directory if that is then empty. Nothing is removed from the server.
    public static func destroy(at url: URL?, options: StoreOptions) throws {
        let type = try backingType(named: options.value(.backingStoreType) ?? SyncOptions.defaultBackingType)
        let place = place(of: url, type: type), credentials = credentials(of: url, type: type)
        try type.destroy(at: place, options: options)
        if let place, place.isFileURL {
            for path in SyncLead.files(of: place) + [downloads(of: url, type: type)?.path].compactMap(\.self)
            where FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        }
        if let credentials { try SyncCredentialFile(credentials).keep(nil) }
        guard let url, url.isFileURL, FileManager.default.fileExists(atPath: url.path),
            try FileManager.default.contentsOfDirectory(atPath: url.path).isEmpty
        else { return }
        try FileManager.default.removeItem(at: url)
    }

    static func openBacking(
        _ configuration: StoreConfiguration, type: any JournalingStore.Type,
        onRemoteChange: @escaping @Sendable (StoreChanges) -> Void
    ) throws -> any JournalingStore {
        if let directory = configuration.url, directory.isFileURL, !isFile(directory) {
            if !configuration.createsParentFolders {
                try StoreConfiguration.requireFolder(above: directory.path)
            }
            do {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw BackstitchError(
                    .storeFailure, "the directory \(directory.path) of the synced store cannot be made", cause: error)
            }
        }
        return try type.init(backing(configuration, type: type, onRemoteChange: onRemoteChange))
    }

    /// Returns the folder of unfinished downloads; nil if the store is in no file.
    static func downloads(of url: URL?, type: any JournalingStore.Type) -> URL? {
        guard let place = place(of: url, type: type), place.isFileURL else { return nil }
        return URL(filePath: place.path + ".sync-downloads")
    }

    /// Returns the file of the renewed token; nil if the store is in no file.
    static func credentials(of url: URL?, type: any JournalingStore.Type) -> URL? {
        guard let place = place(of: url, type: type), place.isFileURL else { return nil }
        return URL(filePath: place.path + ".sync-credential")
    }

    /// Returns the place of a synced store's wrapped store.
    static func place(of url: URL?, type: any JournalingStore.Type) -> URL? {
        guard let url, url.isFileURL, !isFile(url) else { return url }
        return url.appendingPathComponent((type as? any StoreInFile.Type)?.fileName ?? "store")
    }

    private static func isFile(_ url: URL) -> Bool {
        var isDirectory = ObjCBool(false)
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
    }

    /// Returns the configuration of the wrapped store.
    private static func backing(
        _ configuration: StoreConfiguration, type: any JournalingStore.Type,
        onRemoteChange: (@Sendable (StoreChanges) -> Void)? = nil
    ) -> StoreConfiguration {
        StoreConfiguration(
            model: configuration.model, storedModel: configuration.storedModel, part: configuration.part,
            url: place(of: configuration.url, type: type), options: configuration.options, clock: configuration.clock,
            generator: configuration.generator, keepsOutbox: true, isReadOnly: configuration.isReadOnly,
            migrationStages: configuration.migrationStages, changeHandler: onRemoteChange ?? configuration.changeHandler
        )
    }
}
