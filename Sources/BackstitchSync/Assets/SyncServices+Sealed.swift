import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

extension SyncServices {
    /// Returns the plaintext of an encrypted asset, after a download of its ciphertext; nil if the server does not have
    /// it. The received ciphertext is kept like that of other downloads.
    func sealedContent(
        _ reference: AssetReference, of id: ObjectID, key: String, _ recordName: String, _ knownURL: String?
    ) async throws -> AssetContent? {
        let (envelope, zone) = try await onWholeStore { store in
            try store.readJournal { journal in
                let sealing = try journal.note(.sealing, of: SealingSubject(id.key))
                return (sealing?.assets[key], try journal.zones(of: [id.key])[id.key] ?? 0)
            }
        }
        // The asset's keys are those of the object's zone.
        let services = try await services(of: zone) ?? self
        if let knownURL, let envelope {
            let sealed = try await services.open(envelope, of: id, key: key, recordName)
            if sealed.reference == reference, let plain = try await plaintext(of: sealed, at: knownURL) { return plain }
        }
        guard let entity = settings.model.entity(named: id.entityName) else { return nil }
        let field = entity.wireName(of: key), envelopeField = entity.envelopeName(of: key)
        let record =
            try await services.client.records(named: [recordName], fields: [field, envelopeField]).first ?? nil
        guard case .asset(let asset)? = record?.value(field), case .bytes(let bytes)? = record?.value(envelopeField),
            let url = asset.downloadURL
        else { return nil }
        let sealed = try await services.open(bytes, of: id, key: key, recordName)
        return sealed.reference == reference ? try await plaintext(of: sealed, at: url) : nil
    }

    private func plaintext(of sealed: SealedAsset, at url: String) async throws -> AssetContent? {
        let ciphertext = AssetReference(
            checksum: sealed.key.downloadName, size: AssetFrames.sealedSize(sealed.reference.size))
        guard let content = try await read(url, ciphertext, telling: sealed.reference) else { return nil }
        return try await onStore { [partials] _ in
            // The partial file is no longer needed, even if the bytes are wrong.
            defer { try? partials.remove(ciphertext) }
            switch content {
            case .data(let data): return .data(try AssetFrames.open(data, with: sealed.key))
            case .file(let file):
                let plain = try partials.makeFile(for: sealed.reference) { plain in
                    var opener = AssetOpener(sealed.key)
                    try file.forEachPiece { try plain.write(opener.update($0)) }
                    try plain.write(opener.finish())
                }
                return plain.map { .file(AssetFile($0, as: sealed.reference)) }
            }
        }
    }
}
