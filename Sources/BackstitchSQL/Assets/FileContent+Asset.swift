import Backstitch
import BackstitchSupport
import Foundation

extension FileContent {
    /// Creates the content from an asset. The bytes of a file must still match its checksum.
    init(_ content: AssetContent) {
        switch content {
        case .data(let data): self = .data(data)
        case .file(let file):
            self = .file(
                path: file.url.path, size: file.reference.size, checksum: AssetChecksum(wire: file.reference.checksum))
        }
    }
}
