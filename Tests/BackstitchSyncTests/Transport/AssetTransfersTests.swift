import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
import Testing

@testable import BackstitchSync

@Suite struct AssetTransfersTests {
    @Test("a piece that is requested again does not let the reported progress fall")
    func repeatedPiece() {
        let transfers = AssetTransfers(ObjectStateSignal())
        let reference = AssetReference(contentOf: Data("film".utf8))
        let told = Locked<[Double]>([])
        let number = transfers.watch(reference) { fraction in told.withLock { $0.append(fraction) } }
        for fraction in [0, 0.25, 0.5, 0.25, 0.4, 0.75, 1] { transfers.setFraction(fraction, of: reference) }
        transfers.unwatch(number)
        #expect(told.withLock { $0 } == [0.25, 0.5, 0.5, 0.5, 0.75, 1])
        #expect(transfers.fraction(of: reference) == 1)
    }
}
