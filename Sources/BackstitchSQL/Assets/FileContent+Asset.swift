import Backstitch
import BackstitchSupport
import Foundation

extension FileContent {
    /// Bytes of an asset; those of a file must still be the ones of its checksum.
    init(_ content: AssetContent) {
        switch content {
        case .data(let data): self = .data(data)
        case .file(let file):
            self = .file(
                path: file.url.path, size: file.reference.size, checksum: AssetChecksum(wire: file.reference.checksum))
        }
    }
}
